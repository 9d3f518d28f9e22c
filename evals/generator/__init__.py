"""Makes fresh cases from a seed: simulations (``hosts``) with faults put in, and the right answers along with them.

A host is a folder with ``host.json`` (`evals.generator.hosts`), the physics of its program and its float64 reference
as Jinja2 templates. What surrounds the physics is shared: the law that turns fitted numbers into coefficients, the
stepping, the readout, the loss, backward and the update (``shared/*.j2``). Faults are sites in these templates
(`evals.generator.faults`); the clean program is the same rendering without them.
"""

"""Read a recording: iterations, parameters, consumed gradients, objectives, places in the user's source."""

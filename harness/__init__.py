"""A debugger for gradients of Warp programs: record, execute, measure, attribute, report."""

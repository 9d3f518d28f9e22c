"""Judge every consumed gradient of a recorded program: trace, execute and measure brought together."""

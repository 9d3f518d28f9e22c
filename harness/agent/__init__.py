"""The agent: a model that works with the skill on a copy of the user's files. Nothing else imports this package."""

"""What runs inside the user's interpreter: standard library only, relative imports only, Python 3.9 and newer."""

"""The version, read by the package and by its build."""

__version__ = "0.1.0"

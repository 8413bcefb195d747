"""The version, read by the package and by its build backend."""

__version__ = "0.1.0"

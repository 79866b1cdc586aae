"""The package that Python endpoints of svc import; see svc.runtime."""

"""What Python endpoints of svc import: see svc.runtime."""

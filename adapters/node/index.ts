/* The public API on Node: `svc-kit/node`. */
export { createListener, type ListenerOptions } from './http/listener.ts';
export { type OpenAppOptions, type OpenedApp, openApp } from './open-app.ts';

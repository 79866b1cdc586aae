/** What other threads are working on. */
const kept = new Set<object>();

/**
 * Keeps an object of the driver until work on it is done. The driver's threads know nothing of it but its address (mended
 * in its version 1.5): once it is collected meanwhile, the process crashes or waits for ever.
 */
export async function keepDuring<T>(object: object, work: () => Promise<T>): Promise<T> {
  kept.add(object);
  try {
    return await work();
  } finally {
    kept.delete(object);
  }
}

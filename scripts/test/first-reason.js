/** Runs steps until one fails. Returns the reason of its failure, or an empty text. */
export async function firstReason(steps) {
  for (const step of steps) {
    const reason = await step();
    if (reason !== '') return reason;
  }
  return '';
}

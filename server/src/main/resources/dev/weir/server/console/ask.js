/** An answer that does not come is given up after so long, and may be asked for again. */
const PATIENCE_MILLIS = 10_000;

/**
 * Asks the node for one of its files, and waits no longer than a user would.
 *
 * @param {AbortSignal} [given] gives the answer up earlier
 */
export function ask(file, given) {
  const late = AbortSignal.timeout(PATIENCE_MILLIS);
  return fetch(file, { signal: given ? AbortSignal.any([given, late]) : late });
}

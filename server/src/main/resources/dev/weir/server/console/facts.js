import { bytes, count, element, percent } from './format.js';

/** The figures of one budget: pairs of a name and a text. What samples say is "about". */
function facts(budget, pool) {
  const { limitBytes: limit, chargedBytes: charged, estimate } = budget;
  const pairs = [['charged', bytes(charged)]];
  if (estimate) {
    pairs.push(
      ['asked for', `about ${bytes(estimate.requestedBytes)}`],
      ['rounding', `about ${bytes(estimate.roundingBytes)}, ${percent(estimate.roundingBytes, charged)}`],
      ['samples behind these', count(estimate.samples)]);
  }
  if (pool) {
    pairs.push(
      ['resident', bytes(pool.residentBytes)],
      ['charged to nobody', `${bytes(Math.max(0, pool.residentBytes - charged))}: see waste`]);
  }
  pairs.push(['peak', bytes(budget.peakBytes)], ['limit', limit === null ? 'none of its own' : bytes(limit)]);
  if (limit !== null) {
    pairs.push(['used of it', percent(pool?.residentBytes ?? charged, limit)]);
  }
  if (budget.allocatedBytesPerSecond !== null) {
    pairs.push(['allocates', `about ${bytes(budget.allocatedBytesPerSecond)}/s`]);
  }
  if (budget.heldHeapBytes > 0) {
    pairs.push(['Java heap buffers', bytes(budget.heapBytes)]);
  }
  if (budget.heldHeapBytes !== budget.heapBytes) {
    pairs.push(['arrays behind them', bytes(budget.heldHeapBytes)]);
  }
  if (budget.pressure !== 'none') {
    pairs.push(['pressure', budget.pressure]);
  }
  return pairs;
}

/**
 * Shows the figures of a budget.
 *
 * @param list a list of terms
 * @param pool whose root it is; undefined for any other budget
 */
export function showFacts(list, budget, pool) {
  list.replaceChildren(...facts(budget, pool).map(([name, text]) =>
    element('div', {}, element('dt', { textContent: name }), element('dd', { textContent: text }))));
}

/** The same in one line, for a bar that is pointed at. */
export function factsLine(budget) {
  return `${budget.name}: ${facts(budget).map(([name, text]) => `${name} ${text}`).join('; ')}`;
}

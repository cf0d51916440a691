package dev.weir.lab.replay;

/**
 * What a replay found.
 *
 * @param phases its figures
 * @param series its samples, for a chart
 * @param samples how many there were
 */
record ReplayResult(PhaseLog phases, Series series, int samples) {}

package dev.weir.lab.replay;

/**
 * What a replay found.
 *
 * @param phases its figures
 * @param series its samples, for a chart
 * @param samples how many there were
 * @param peakExcessBytes the most by which the kernel's figure exceeded the allocator's own; only
 *     for one whose memory lies in a place of its own, otherwise {@link Sample#UNKNOWN}
 */
record ReplayResult(PhaseLog phases, Series series, int samples, long peakExcessBytes) {}

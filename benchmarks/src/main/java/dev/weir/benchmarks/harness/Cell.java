package dev.weir.benchmarks.harness;

import java.util.Map;

/**
 * One thing to measure for every peer: a row of the table.
 *
 * @param suite the suite it belongs to
 * @param pattern what is done, as reports name it
 * @param bytes the size parameter
 * @param thread on which threads
 * @param leakDetection the level of Netty's leak detector
 * @param benchmark the JMH benchmark: a class and one of its methods, joined by a dot
 * @param parameters further JMH parameters
 */
public record Cell(
    String suite,
    String pattern,
    int bytes,
    ThreadKind thread,
    LeakDetection leakDetection,
    String benchmark,
    Map<String, String> parameters) {}

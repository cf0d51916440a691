package dev.weir.server.metrics;

import java.util.function.LongSupplier;

/**
 * Where the node's buffer memory stands, bytes but for the last.
 *
 * @param resident backed by pages
 * @param live handed out
 * @param dirty free, but still backed by pages
 * @param limit the budget
 * @param suspects places in the code that are suspected to leak
 */
public record MemoryFigures(
    LongSupplier resident,
    LongSupplier live,
    LongSupplier dirty,
    LongSupplier limit,
    LongSupplier suspects) {}

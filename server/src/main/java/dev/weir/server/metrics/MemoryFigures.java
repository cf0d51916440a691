package dev.weir.server.metrics;

import java.util.function.LongSupplier;

/**
 * Where the node's buffer memory stands, in bytes.
 *
 * @param resident backed by pages
 * @param live handed out
 * @param dirty free, but still backed by pages
 * @param limit the budget
 */
public record MemoryFigures(
    LongSupplier resident, LongSupplier live, LongSupplier dirty, LongSupplier limit) {}

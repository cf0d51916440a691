package dev.weir.server.metrics;

import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * What a node says of the copies that are made of it.
 *
 * @param sentBytes bytes of bodies that the system has taken
 * @param connections open now
 * @param refusals requests that were refused
 * @param snapshots that keep their segments from being deleted
 * @param lagBytes acknowledged bytes that the newest snapshot does not have
 * @param lagSeconds the age of the oldest change that it does not have
 */
public record ReplicationFigures(
    LongSupplier sentBytes,
    LongSupplier connections,
    LongSupplier refusals,
    LongSupplier snapshots,
    LongSupplier lagBytes,
    DoubleSupplier lagSeconds) {}

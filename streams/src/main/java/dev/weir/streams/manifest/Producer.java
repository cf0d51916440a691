package dev.weir.streams.manifest;

/** The newest append that a stream has accepted from one idempotent producer. */
public record Producer(String id, long epoch, long lastSequence) {}

package dev.weir.streams;

/** The newest append that a stream has accepted from one producer. */
record ProducerState(long epoch, long lastSequence) {}

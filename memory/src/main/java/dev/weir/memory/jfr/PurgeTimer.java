package dev.weir.memory.jfr;

/** A purge that is under way and is to be an event. */
interface PurgeTimer {
  /** It has ended, and has given back so much. */
  void end(long bytes, int ranges);
}

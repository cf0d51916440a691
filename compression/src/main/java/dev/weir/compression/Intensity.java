package dev.weir.compression;

import dev.weir.memory.pressure.Pressure;

/** How much memory a stream may take to be compressed. */
enum Intensity {
  /** As configured. */
  FULL,
  /** The lowest level, and a window of 32 KiB. */
  REDUCED,
  /** None: it is not compressed unless it has to be. */
  NONE;

  /** What pressure allows. */
  static Intensity under(Pressure pressure) {
    return switch (pressure) {
      case NONE -> FULL;
      case HIGH -> REDUCED;
      case CRITICAL -> NONE;
    };
  }
}

package dev.weir.lab.replay;

import java.io.IOException;

/** Tells what the kernel holds for the allocator under test. */
@FunctionalInterface
interface KernelGauge {
  /** Resident bytes now. */
  long rssBytes() throws IOException;
}

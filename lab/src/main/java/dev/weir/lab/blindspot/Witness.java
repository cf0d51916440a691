package dev.weir.lab.blindspot;

import java.io.IOException;
import java.util.List;

/** Tells what an allocator's own means say. */
interface Witness {
  /** A look in passing, some times a second. */
  void look();

  /** What it says, line by line. */
  List<String> allocatorSays();

  /** What the kernel says of its memory. */
  String kernelSays() throws IOException;
}

package dev.weir.lab.contender;

import dev.weir.lab.memory.LivePages;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** How much of a block is written when it has been allocated. */
@SuppressWarnings("restricted") // blocks are raw addresses, whoever allocated them
public enum Writing {
  /** One byte of each page: each page is there. */
  PAGES("pages"),
  /** Every byte, as a service that fills its buffers does. */
  BYTES("bytes");

  /** One segment over every address, so that all allocators' blocks are written in one way. */
  private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private final String label;

  Writing(String label) {
    this.label = label;
  }

  /** The name on the command line and in reports. */
  public String label() {
    return label;
  }

  /**
   * Finds a way of writing by its label.
   *
   * @throws IllegalArgumentException if there is none; the message lists what there is
   */
  public static Writing of(String label) {
    for (Writing writing : values()) {
      if (writing.label.equals(label)) {
        return writing;
      }
    }
    throw new IllegalArgumentException("no way of writing '" + label + "'; there are pages, bytes");
  }

  /** Writes a block of at least a byte. */
  public void write(long address, int bytes) {
    if (this == BYTES) {
      MEMORY.asSlice(address, bytes).fill((byte) 1);
      return;
    }
    MEMORY.set(ValueLayout.JAVA_BYTE, address, (byte) 1);
    long pageMask = LivePages.PAGE_BYTES - 1L;
    long end = address + bytes;
    for (long page = (address | pageMask) + 1; page < end; page += LivePages.PAGE_BYTES) {
      MEMORY.set(ValueLayout.JAVA_BYTE, page, (byte) 1);
    }
  }

  /** Writes a heap buffer of so many bytes. */
  void write(ByteBuf buffer, int bytes) {
    if (this == BYTES) {
      int from = buffer.arrayOffset();
      Arrays.fill(buffer.array(), from, from + bytes, (byte) 1);
      return;
    }
    for (int at = 0; at < bytes; at += LivePages.PAGE_BYTES) {
      buffer.setByte(at, 1);
    }
  }
}

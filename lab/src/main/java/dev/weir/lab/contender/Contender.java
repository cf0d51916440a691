package dev.weir.lab.contender;

import dev.weir.lab.memory.LivePages;
import dev.weir.lab.subject.Subject;
import dev.weir.lab.subject.WeirSettings;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.Arrays;
import java.util.stream.Collectors;

/** What a trace can be replayed against. */
public enum Contender {
  /** Weir through its Netty allocator. */
  WEIR("weir"),
  /** The same, giving memory back sooner. */
  WEIR_DENSE("weir+dense"),
  /** Netty's pooled allocator. */
  NETTY_POOLED("netty-pooled"),
  /** Netty's adaptive allocator, the default of 4.2. */
  NETTY_ADAPTIVE("netty-adaptive"),
  /** Netty's unpooled allocator. */
  NETTY_UNPOOLED("netty-unpooled"),
  /** The C library. */
  GLIBC("glibc"),
  /** mimalloc, where it is installed. */
  MIMALLOC("mimalloc"),
  /** jemalloc, where it is installed. */
  JEMALLOC("jemalloc"),
  /** tcmalloc, where it is installed. */
  TCMALLOC("tcmalloc"),
  /** Blocks one behind the other, and perfect purging: reckoned. */
  SEQUENTIAL("sequential"),
  /** Nothing: blocks without memory, which shows what a replay itself costs. */
  NONE("none"),
  /** Weir's heap buffers. */
  WEIR_HEAP("weir-heap"),
  /** Heap buffers of Netty's pooled allocator. */
  NETTY_POOLED_HEAP("netty-pooled-heap"),
  /** Heap buffers of Netty's adaptive allocator. */
  NETTY_ADAPTIVE_HEAP("netty-adaptive-heap");

  private final String label;

  Contender(String label) {
    this.label = label;
  }

  /** The name on the command line and in reports. */
  public String label() {
    return label;
  }

  /**
   * Finds a contender by its label.
   *
   * @throws IllegalArgumentException if there is none; the message lists what there is
   */
  public static Contender of(String label) {
    for (Contender contender : values()) {
      if (contender.label.equals(label)) {
        return contender;
      }
    }
    throw new IllegalArgumentException(
        "no allocator '%s'; there are %s"
            .formatted(
                label,
                Arrays.stream(values()).map(Contender::label).collect(Collectors.joining(", "))));
  }

  /**
   * Makes the allocator in this JVM.
   *
   * @param limitBytes what Weir's pool may make resident, and what may be live of the C libraries';
   *     Netty's allocators take theirs from the JVM's settings
   * @param pages where the caller counts the pages of live blocks
   * @param writing how much of a heap buffer is written; other blocks are written by the caller
   * @throws ContenderMissingException if this machine lacks what it needs
   */
  public BlockStore open(long limitBytes, LivePages pages, Writing writing)
      throws ContenderMissingException {
    return switch (this) {
      case WEIR, WEIR_DENSE, NETTY_POOLED, NETTY_ADAPTIVE, NETTY_UNPOOLED ->
          new BufferStore(Subject.of(label).create(limitBytes, limitBytes));
      case GLIBC -> new MallocStore(MallocLibrary.GLIBC.load(), limitBytes);
      case MIMALLOC -> new MallocStore(MallocLibrary.MIMALLOC.load(), limitBytes);
      case JEMALLOC -> new MallocStore(MallocLibrary.JEMALLOC.load(), limitBytes);
      case TCMALLOC -> new MallocStore(MallocLibrary.TCMALLOC.load(), limitBytes);
      case SEQUENTIAL -> new SequentialStore(pages);
      case NONE -> new NoStore();
      case WEIR_HEAP -> HeapStore.weir(limitBytes, writing);
      case NETTY_POOLED_HEAP -> HeapStore.netty(PooledByteBufAllocator.DEFAULT, writing);
      case NETTY_ADAPTIVE_HEAP -> HeapStore.netty(new AdaptiveByteBufAllocator(), writing);
    };
  }

  /** Makes Weir with other settings in this JVM, within that limit. */
  public static BlockStore weir(long limitBytes, WeirSettings settings) {
    return new BufferStore(Subject.weir(limitBytes, settings));
  }

  /** Whether its blocks are direct buffers. */
  public boolean isBuffers() {
    return switch (this) {
      case WEIR, WEIR_DENSE, NETTY_POOLED, NETTY_ADAPTIVE, NETTY_UNPOOLED -> true;
      default -> false;
    };
  }

  /** Whether its blocks are in the Java heap. */
  public boolean isHeap() {
    return this == WEIR_HEAP || this == NETTY_POOLED_HEAP || this == NETTY_ADAPTIVE_HEAP;
  }
}

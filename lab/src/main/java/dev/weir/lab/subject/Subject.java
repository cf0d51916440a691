package dev.weir.lab.subject;

import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.ByteCountAdmission;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** What can be compared: an allocator, with or without admission in front of it. */
public enum Subject {
  /** Weir: allocator and admission by grants of its pool. */
  WEIR("weir"),
  /** The same, giving memory back sooner. */
  WEIR_DENSE("weir+dense"),
  /** Netty's pooled allocator, as services use it. */
  NETTY_POOLED("netty-pooled"),
  /** Netty's adaptive allocator, the default of 4.2, as services use it. */
  NETTY_ADAPTIVE("netty-adaptive"),
  /** Netty's unpooled allocator: every buffer from the C library. */
  NETTY_UNPOOLED("netty-unpooled"),
  /** The pooled allocator behind a count of admitted bytes. */
  NETTY_POOLED_GATE("netty-pooled+gate"),
  /** The adaptive allocator behind a count of admitted bytes. */
  NETTY_ADAPTIVE_GATE("netty-adaptive+gate");

  /**
   * What admission leaves to everything that is no body: Netty's allocators take their receive
   * buffers from chunks of 4 MiB and more, one at least for each arena that an event loop uses.
   */
  public static final long GATE_MARGIN_BYTES = 16L << 20;

  private final String label;

  Subject(String label) {
    this.label = label;
  }

  /** The name on the command line and in reports. */
  public String label() {
    return label;
  }

  /**
   * Finds a subject by its label.
   *
   * @throws IllegalArgumentException if there is none; the message lists what there is
   */
  public static Subject of(String label) {
    for (Subject subject : values()) {
      if (subject.label.equals(label)) {
        return subject;
      }
    }
    throw new IllegalArgumentException(
        "no allocator '%s'; there are %s".formatted(label, labels()));
  }

  /** Whether it is Weir, however it is set. */
  public boolean isWeir() {
    return this == WEIR || this == WEIR_DENSE;
  }

  /** Whether it has a count of admitted bytes in front of it, which only some scenarios obey. */
  public boolean isGated() {
    return this == NETTY_POOLED_GATE || this == NETTY_ADAPTIVE_GATE;
  }

  /** Every label, separated by commas. */
  public static String labels() {
    return Arrays.stream(values()).map(Subject::label).collect(Collectors.joining(", "));
  }

  /**
   * Makes the allocator in this JVM.
   *
   * @param limitBytes what Weir's pool may make resident; Netty's allocators take theirs from the
   *     JVM's settings
   * @param gateBytes what the admission in front of Netty's allocators lets in at a time
   */
  public AllocatorUnderTest create(long limitBytes, long gateBytes) {
    return switch (this) {
      case WEIR -> weir(limitBytes, WeirSettings.preset(/* dense= */ false));
      case WEIR_DENSE -> weir(limitBytes, WeirSettings.preset(/* dense= */ true));
      case NETTY_POOLED -> plain(PooledByteBufAllocator.DEFAULT);
      case NETTY_ADAPTIVE -> plain(new AdaptiveByteBufAllocator());
      case NETTY_UNPOOLED -> plain(new UnpooledByteBufAllocator(/* preferDirect= */ true));
      case NETTY_POOLED_GATE -> gated(PooledByteBufAllocator.DEFAULT, gateBytes);
      case NETTY_ADAPTIVE_GATE -> gated(new AdaptiveByteBufAllocator(), gateBytes);
    };
  }

  /** Makes Weir with other settings, in this JVM, over a pool within that limit. */
  public static AllocatorUnderTest weir(long limitBytes, WeirSettings settings) {
    return WeirUnderTest.of(limitBytes, settings);
  }

  private static AllocatorUnderTest plain(ByteBufAllocator allocator) {
    return new NettyUnderTest(allocator, Optional.empty());
  }

  private static AllocatorUnderTest gated(ByteBufAllocator allocator, long gateBytes) {
    Admission admission = new ByteCountAdmission(gateBytes, allocator);
    return new NettyUnderTest(allocator, Optional.of(admission));
  }
}

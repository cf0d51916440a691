package dev.weir.compression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.codec.Decoder;
import dev.weir.compression.codec.Encoder;
import dev.weir.compression.codec.Step;
import dev.weir.compression.zstd.EachZstd;
import dev.weir.compression.zstd.ZstdDictionary;
import io.netty.buffer.ByteBuf;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Nothing that compresses has to be finalized: an object that has keeps itself and all it refers to
 * through two collections, and a thread of the JVM busy. The JVM has some of its own.
 */
class FinalizersTest {
  private static final int STREAMS = 20;
  private static final byte[] CONTENT = Texts.json(2_000, 1);

  /** Counted too: a count of nothing, before and after, would say nothing. */
  private final List<Finalized> known = Stream.generate(Finalized::new).limit(10).toList();

  private static final class Finalized {
    private boolean ended;

    @Override
    @SuppressWarnings({"removal", "Finalize"}) // which is what is counted
    protected void finalize() {
      ended = true; // The JVM leaves out a method that does nothing.
    }

    boolean hasEnded() {
      return ended;
    }
  }

  /** How many objects on the heap, those that nobody refers to left out, will be finalized. */
  private static long finalizers() throws JMException {
    Object histogram =
        ManagementFactory.getPlatformMBeanServer()
            .invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "gcClassHistogram",
                new Object[] {new String[0]},
                new String[] {String[].class.getName()});
    return String.valueOf(histogram)
        .lines()
        .map(String::strip)
        .filter(line -> line.contains(" java.lang.ref.Finalizer "))
        .mapToLong(line -> Long.parseLong(line.split("\\s+", -1)[1]))
        .sum();
  }

  /** Streams that are under way, each with all that it needs. */
  private static void begin(
      Compression compression, MemoryUnderTest memory, List<AutoCloseable> streams) {
    for (ContentCoding coding : ContentCoding.values()) {
      byte[] whole;
      try (Encoder encoder = compression.tryEncoder(coding, CONTENT.length)) {
        whole = Streams.encode(encoder, CONTENT, CONTENT.length, 10_000, memory.allocator);
      }
      for (int i = 0; i < STREAMS; i++) {
        Encoder encoder = compression.tryEncoder(coding, CONTENT.length);
        streams.add(encoder);
        Streams.step(encoder, CONTENT, 0, 1_000, Step.FLUSH, 10_000, memory.allocator);
        Decoder decoder = compression.decoder(coding);
        streams.add(decoder);
        half(decoder, whole, memory);
      }
    }
  }

  private static void half(Decoder decoder, byte[] whole, MemoryUnderTest memory) {
    ByteBuf source = memory.allocator.directBuffer(whole.length);
    ByteBuf target = memory.allocator.directBuffer(10_000, 10_000);
    try {
      decoder.decode(source.writeBytes(whole, 0, whole.length / 2), target);
    } finally {
      source.release();
      target.release();
    }
  }

  @ParameterizedTest
  @EnumSource
  void noStreamHasOne(EachZstd zstd) throws Exception {
    ZstdDictionary dictionary = ZstdDictionary.of(Texts.dictionary(1_000));
    for (CompressionOptions options :
        List.of(
            CompressionOptions.DEFAULT,
            CompressionOptions.DEFAULT.withDictionaries(dictionary, dictionary))) {
      MemoryUnderTest memory = new MemoryUnderTest();
      Compression compression =
          Compression.create(zstd.library(), memory.pool, memory.budget, options);
      List<AutoCloseable> streams = new ArrayList<>();
      try {
        long before = finalizers();
        assertThat(before).isGreaterThanOrEqualTo(known.size());
        begin(compression, memory, streams);
        assertThat(finalizers()).isBetween((long) known.size(), before);
        assertThat(known).noneMatch(Finalized::hasEnded);
      } finally {
        for (AutoCloseable stream : streams) {
          stream.close();
        }
        compression.close();
        memory.close();
      }
    }
  }
}

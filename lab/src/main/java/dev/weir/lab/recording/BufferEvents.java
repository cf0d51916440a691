package dev.weir.lab.recording;

import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;

/**
 * The events by which Netty tells of its buffers. From 4.2.4 on they are called {@code
 * io.netty.AllocateBuffer} and so on, in 4.2.3 {@code AllocateBufferEvent} without a package; a
 * Netty that was moved to another package has them under that one's name. So the end of a name
 * counts.
 */
final class BufferEvents {
  static final String ALLOCATE = "io.netty.AllocateBuffer";
  static final String FREE = "io.netty.FreeBuffer";
  static final String REALLOCATE = "io.netty.ReallocateBuffer";

  private static final String LOSS = "jdk.DataLoss";
  private static final String OLD_END = "Event";
  private static final List<String> NAMES =
      List.of("AllocateBuffer", "FreeBuffer", "ReallocateBuffer");

  /** What an event tells. */
  enum Kind {
    ALLOCATE,
    FREE,
    REALLOCATE,
    /** Flight Recorder dropped events. */
    LOSS,
    /** Nothing of direct buffers. */
    OTHER
  }

  private BufferEvents() {}

  /** What jcmd is told to enable, without stack traces: the names of 4.2.3 as well. */
  static List<String> switches(String prefix) {
    return Stream.concat(
            NAMES.stream().map(name -> prefix + name), NAMES.stream().map(name -> name + OLD_END))
        .map(name -> "+%s#enabled=true".formatted(name))
        .toList();
  }

  static Kind kind(RecordedEvent event) {
    String name = event.getEventType().getName();
    if (name.equals(LOSS)) {
      return Kind.LOSS;
    }
    String simple = name.substring(name.lastIndexOf('.') + 1);
    String plain =
        simple.endsWith(OLD_END) ? simple.substring(0, simple.length() - OLD_END.length()) : simple;
    int kind = NAMES.indexOf(plain);
    return kind < 0 || !isDirect(event) ? Kind.OTHER : Kind.values()[kind];
  }

  private static boolean isDirect(RecordedEvent event) {
    return event.hasField("direct")
        && event.hasField("address")
        && event.hasField("size")
        && event.getBoolean("direct")
        && address(event) != 0;
  }

  static long address(RecordedEvent event) {
    return event.getLong("address");
  }
}

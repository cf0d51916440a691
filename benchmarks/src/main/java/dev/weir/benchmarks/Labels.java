package dev.weir.benchmarks;

import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.ThreadKind;
import dev.weir.benchmarks.pattern.AllocPattern;
import dev.weir.benchmarks.peer.JitState;
import dev.weir.benchmarks.peer.Peer;
import dev.weir.benchmarks.streams.StreamsRow;
import dev.weir.benchmarks.written.Workload;
import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts the labels of enums on the command line. */
abstract class Labels<T> implements ITypeConverter<T> {
  private final T[] values;
  private final Function<T, String> label;

  Labels(T[] values, Function<T, String> label) {
    this.values = values;
    this.label = label;
  }

  @Override
  public T convert(String text) {
    for (T value : values) {
      if (label.apply(value).equals(text)) {
        return value;
      }
    }
    throw new TypeConversionException(
        "no '%s'; there are %s"
            .formatted(text, Arrays.stream(values).map(label).collect(Collectors.joining(", "))));
  }

  /** Labels of {@link Peer}. */
  static final class OfPeer extends Labels<Peer> {
    OfPeer() {
      super(Peer.values(), Peer::label);
    }
  }

  /** Labels of the {@link ThreadKind}s that are platform threads. */
  static final class OfPlatformThread extends Labels<ThreadKind> {
    OfPlatformThread() {
      super(new ThreadKind[] {ThreadKind.EVENT_LOOP, ThreadKind.PLAIN}, ThreadKind::label);
    }
  }

  /** Labels of {@link LeakDetection}. */
  static final class OfLeakDetection extends Labels<LeakDetection> {
    OfLeakDetection() {
      super(LeakDetection.values(), LeakDetection::label);
    }
  }

  /** Labels of {@link JitState}. */
  static final class OfJitState extends Labels<JitState> {
    OfJitState() {
      super(JitState.values(), JitState::label);
    }
  }

  /** Labels of {@link AllocPattern}. */
  static final class OfAllocPattern extends Labels<AllocPattern> {
    OfAllocPattern() {
      super(AllocPattern.values(), AllocPattern::label);
    }
  }

  /** Labels of {@link Workload}. */
  static final class OfWorkload extends Labels<Workload> {
    OfWorkload() {
      super(Workload.values(), Workload::label);
    }
  }

  /** Labels of {@link StreamsRow}. */
  static final class OfStreamsRow extends Labels<StreamsRow> {
    OfStreamsRow() {
      super(StreamsRow.values(), StreamsRow::label);
    }
  }

  /** {@code yes} and {@code no}. */
  static final class OfTouch extends Labels<Boolean> {
    OfTouch() {
      super(new Boolean[] {true, false}, touch -> touch ? "yes" : "no");
    }
  }
}

package dev.weir.benchmarks.compression;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.Effort;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.Suite;
import dev.weir.benchmarks.harness.ThreadKind;
import dev.weir.benchmarks.peer.Peer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the compression suite measures. */
public final class CompressionSuite {
  /** What its tables show. */
  private static final List<Metric> METRICS =
      List.of(
          Metric.NS_PER_OP,
          Metric.COMPRESSED_BYTES,
          Metric.GC_NS_PER_OP,
          Metric.HEAP_BYTES_PER_OP,
          Metric.FINALIZERS);

  private static final List<Way> OWN =
      List.of(Way.BARE_SYSTEM, Way.ENCODER_SYSTEM, Way.BARE_JNI, Way.ENCODER_JNI);

  /** What is measured in turns with the library that it goes through. */
  private static final List<Way> IN_TURNS =
      List.of(
          Way.ENCODER_SYSTEM,
          Way.RESPONSE_SYSTEM,
          Way.ENCODER_JNI,
          Way.RESPONSE_JNI,
          Way.UNCOMPRESSED);

  /** Room for so few objects that they are collected several times a second. */
  private static final List<String> SMALL_EDEN = List.of("-XX:G1HeapRegionSize=1m", "-Xmn4m");

  private static final String BENCHMARK = CompressionBenchmark.class.getName() + ".compress";
  private static final String TURNS = TurnsBenchmark.class.getName() + ".turns";
  private static final int WRITE_BYTES = 64 << 10;
  private static final int SMALL_WRITE_BYTES = 1 << 10;

  private CompressionSuite() {}

  /**
   * For each length of content Weir's encoders and handler in turns with the bare libraries; these
   * and the encoders by themselves; then Weir's handler beside Netty's, which has but one library,
   * and the pipeline of each without a handler.
   *
   * <p>Turns are longer than a quick run's: a response of 2 MB goes through a pipeline 31 times in
   * 5 ms, and after 2 s of that the compilers have a fifth of their work before them (JMH's {@code
   * -prof comp}), which costs the pipeline and not the library.
   */
  public static List<Suite> suites(List<Integer> contents) {
    List<Cell> turns = new ArrayList<>();
    List<Cell> own = new ArrayList<>();
    List<Cell> compared = new ArrayList<>();
    for (int bytes : contents) {
      for (Way way : IN_TURNS) {
        turns.add(cell("compression-turns", TURNS, way, bytes, WRITE_BYTES));
      }
      for (Way way : OWN) {
        own.add(cell(way, bytes, WRITE_BYTES));
      }
      for (int writeBytes : List.of(WRITE_BYTES, SMALL_WRITE_BYTES)) {
        compared.add(cell(Way.UNCOMPRESSED, bytes, writeBytes));
        compared.add(cell(Way.UNCOMPRESSED_BESIDE_BARE, bytes, writeBytes));
        compared.add(cell(Way.RESPONSE_JNI, bytes, writeBytes));
        compared.add(cell(Way.RESPONSE_SYSTEM, bytes, writeBytes));
      }
    }
    return List.of(
        new Suite(turns, List.of(Metric.PERCENT_OF_LIBRARY))
            .among(List.of(Peer.WEIR))
            .with(Effort::longer),
        new Suite(own, METRICS).among(List.of(Peer.WEIR)).under(SMALL_EDEN),
        new Suite(compared, METRICS)
            .among(List.of(Peer.WEIR, Peer.NETTY_POOLED, Peer.NETTY_ADAPTIVE))
            .under(SMALL_EDEN)
            .with(Effort::longer));
  }

  private static Cell cell(Way way, int bytes, int writeBytes) {
    return cell("compression", BENCHMARK, way, bytes, writeBytes);
  }

  private static Cell cell(String suite, String benchmark, Way way, int bytes, int writeBytes) {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("way", way.label());
    parameters.put("contentBytes", Integer.toString(bytes));
    parameters.put("writeBytes", Integer.toString(writeBytes));
    return new Cell(suite, benchmark, parameters, ThreadKind.EVENT_LOOP, 1, LeakDetection.DISABLED);
  }
}

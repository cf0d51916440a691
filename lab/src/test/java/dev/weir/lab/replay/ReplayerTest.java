package dev.weir.lab.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.contender.Writing;
import dev.weir.lab.memory.LivePages;
import dev.weir.lab.trace.TracePhase;
import dev.weir.lab.trace.TracePhase.Kind;
import dev.weir.lab.trace.TraceTotals;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every event is a sample here: the totals say that there are few of them. */
class ReplayerTest {
  private static final TraceTotals TOTALS = new TraceTotals(10, 5, 1, 1, 40_000, 4, 0, 1, 0, 0, 0);

  private final FakeStore store = new FakeStore();
  private final LivePages pages = new LivePages();
  private final Replayer replayer =
      new Replayer(
          store, pages, Writing.PAGES, () -> 0, TOTALS, new ReplayProgress(TOTALS, 0, share -> {}));

  @BeforeEach
  void begin() throws IOException {
    replayer.begin();
  }

  @Test
  void ratiosAreOverSamplesWithHalfThePeakLive() throws IOException {
    store.residentBytes = 1_000_000;
    replayer.allocate(0, 10_000);
    store.residentBytes = 60_000;
    replayer.allocate(1, 30_000);
    store.residentBytes = 44_000;
    replayer.release(0);
    store.residentBytes = 30_000;
    replayer.allocate(0, 10_000);

    Map<String, Object> figures = figures();
    assertThat(figures).containsEntry("peakLiveBytes", 40_000L);
    assertThat(figures).containsEntry("peakResidentBytes", 1_000_000L);
    assertThat(figures).containsEntry("peakRatio", 1.5);
    assertThat(figures).containsEntry("meanRatio", 1.2389);
    assertThat(figures).containsEntry("peakPageBytes", 11 * 4096L);
    assertThat(figures)
        .containsEntry("peakBeyondPagesBytes", 60_000L - Math.round(1.05 * 11 * 4096));
    assertThat(figures.get("peak"))
        .isEqualTo(
            Map.of(
                "liveBytes", 40_000L,
                "roundingBytes", 10_000L,
                "freeSlotBytes", 10_000L,
                "dirtyBytes", 7_000L,
                "progress", 1.0));
  }

  @Test
  void warmUpsDoNotCountAndDropsOnlyWhereTheyIdle() throws IOException {
    replayer.phase(new TracePhase("warm-up", Kind.WARM_UP));
    store.residentBytes = 900_000;
    replayer.allocate(0, 40_000);
    replayer.phase(new TracePhase("steady", Kind.COUNTED));
    store.residentBytes = 50_000;
    replayer.allocate(1, 10_000);
    replayer.phase(new TracePhase("drop", Kind.DROP));
    store.residentBytes = 800_000;
    replayer.release(1);
    replayer.release(0);
    replayer.allocate(0, 1_000);
    replayer.pause(2_000_000);
    assertThat(replayer.takePause()).isEqualTo(2_000_000);
    assertThat(replayer.takePause()).isZero();
    store.residentBytes = 3_000;
    replayer.idled();

    ReplayResult result = replayer.end();
    Map<String, Object> figures = result.phases().total().toMap();
    assertThat(figures).containsEntry("allocations", 2L);
    assertThat(figures).containsEntry("peakRatio", 1.0);
    assertThat(figures.get("idle")).isEqualTo(idle(1_000, 4096, 3_000, 3.0, 0));
    assertThat(result.phases().toMaps())
        .extracting("phase")
        .containsExactly("warm-up", "steady", "drop");
    assertThat(result.phases().toMaps())
        .extracting("kind")
        .containsExactly("warm-up", "counted", "drop");
    assertThat(result.phases().toMaps().getFirst()).containsEntry("peakRatio", 22.5);
    assertThat(result.series().phases()).hasSize(3);
    assertThat(store.released).isEqualTo(3);
  }

  @Test
  void whatIsHeldBeyondThePagesWhenIdleIsTheMostOfAllPauses() throws IOException {
    replayer.phase(new TracePhase("warm-up", Kind.WARM_UP));
    replayer.allocate(0, 40_000);
    store.residentBytes = 900_000;
    replayer.idled();
    replayer.phase(new TracePhase("drop", Kind.DROP));
    store.residentBytes = 100_000;
    replayer.idled();
    replayer.release(0);
    replayer.allocate(1, 1_000);
    store.residentBytes = 10_000;
    replayer.idled();

    assertThat(replayer.end().phases().total().toMap().get("idle"))
        .isEqualTo(idle(1_000, 4096, 10_000, 10.0, 100_000 - Math.round(1.05 * 10 * 4096)));
  }

  @Test
  void refusalsAreCountedAndJudged() throws IOException {
    store.refuseAbove = 20_000;
    store.boundBytes = 40_000;
    replayer.allocate(0, 20_000);
    replayer.allocate(1, 20_001);
    store.boundBytes = 50_000;
    replayer.allocate(2, 20_001);
    replayer.release(1);
    replayer.release(2);
    replayer.release(0);

    Map<String, Object> figures = figures();
    assertThat(figures).containsEntry("allocations", 3L);
    assertThat(figures).containsEntry("refusals", 2L);
    assertThat(figures).containsEntry("refusalsWithinBound", 1L);
    assertThat(store.released).isEqualTo(1);
    assertThat(pages.bytes()).isZero();
  }

  private Map<String, Object> figures() throws IOException {
    ReplayResult result = replayer.end();
    assertThat(result.phases().toMaps()).extracting("phase").isEqualTo(List.of("all"));
    return result.phases().total().toMap();
  }

  private static Map<String, Object> idle(
      long live, long page, long resident, double ratio, long beyond) {
    Map<String, Object> map = new java.util.HashMap<>();
    map.put("liveBytes", live);
    map.put("pageBytes", page);
    map.put("residentBytes", resident);
    map.put("rssBytes", null);
    map.put("ratio", ratio);
    map.put("beyondPagesBytes", beyond);
    return map;
  }
}

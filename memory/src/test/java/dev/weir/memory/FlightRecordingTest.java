package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Events as a recording has them that was made with the settings that are shipped. */
@Timeout(120)
class FlightRecordingTest {
  private static final long LIMIT_BYTES = 16 << 20;

  @TempDir Path directory;
  private final List<Block> held = new ArrayList<>();

  private static Configuration settings() throws Exception {
    try (var in = Pool.class.getResourceAsStream("jfr/weir.jfc")) {
      return Configuration.create(new InputStreamReader(in, StandardCharsets.UTF_8));
    }
  }

  private List<RecordedEvent> events(Recording recording) throws IOException {
    Path file = directory.resolve("recording.jfr");
    recording.dump(file);
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().startsWith("weir."))
        .toList();
  }

  private RecordedEvent await(
      Recording recording, String name, Predicate<RecordedEvent> wanted, Runnable again)
      throws IOException {
    while (true) {
      again.run();
      for (RecordedEvent event : events(recording)) {
        if (event.getEventType().getName().equals(name) && wanted.test(event)) {
          return event;
        }
      }
    }
  }

  private static boolean isHere(RecordedEvent event) {
    return event.getStackTrace() != null
        && event.getStackTrace().getFrames().stream()
            .map(RecordedFrame::getMethod)
            .anyMatch(
                method -> method.getType().getName().equals(FlightRecordingTest.class.getName()));
  }

  @Test
  void whatAPoolDoesIsInTheRecording() throws Exception {
    PoolOptions options =
        PoolOptions.withLimit(LIMIT_BYTES)
            .withName("recorded")
            .withDecay(Duration.ofMillis(20))
            .withProfile(4 << 10);
    try (Recording recording = new Recording(settings());
        Pool pool = Pool.create(options)) {
      recording.start();
      Budget small = pool.rootBudget().child("small", 1 << 20);

      RecordedEvent sample =
          await(
              recording,
              "weir.AllocationSample",
              event -> event.getLong("blockBytes") == 16 << 10,
              () -> pool.allocate(16 << 10, small).release());
      assertThat(sample.getString("budget")).isEqualTo("recorded/small");
      assertThat(sample.getLong("weightBytes")).isGreaterThanOrEqualTo(16 << 10);
      assertThat(isHere(sample)).isTrue();
      assertThat(sample.getString("caller")).startsWith(FlightRecordingTest.class.getName() + ".");

      for (Block block = pool.tryAllocate(64 << 10, small); block != null; ) {
        held.add(block);
        block = pool.tryAllocate(64 << 10, small);
      }
      RecordedEvent refusal =
          await(
              recording,
              "weir.AllocationRefusal",
              event -> true,
              () -> pool.tryAllocate(8192, small));
      assertThat(refusal.getString("budget")).isEqualTo("recorded/small");
      assertThat(refusal.getString("limitingBudget")).isEqualTo("recorded/small");
      assertThat(refusal.getLong("limitBytes")).isEqualTo(1 << 20);
      assertThat(isHere(refusal)).isTrue();
      assertThat(refusal.getString("caller")).startsWith(FlightRecordingTest.class.getName() + ".");

      RecordedEvent pressure =
          await(recording, "weir.PressureChange", event -> true, Thread::onSpinWait);
      assertThat(pressure.getString("budget")).isEqualTo("recorded/small");
      assertThat(pressure.getString("before")).isEqualTo("NONE");
      assertThat(pressure.getString("now")).isEqualTo("CRITICAL");

      RecordedEvent statistics =
          await(
              recording,
              "weir.PoolStatistics",
              event -> event.getString("pool").equals("recorded") && event.getLong("liveBytes") > 0,
              Thread::onSpinWait);
      assertThat(statistics.getLong("limitBytes")).isEqualTo(LIMIT_BYTES);
      RecordedEvent budget =
          await(
              recording,
              "weir.BudgetStatistics",
              event -> event.getString("budget").equals("recorded/small"),
              Thread::onSpinWait);
      assertThat(budget.getLong("chargedBytes")).isBetween(1L, 1L << 20);

      held.forEach(Block::release);
      RecordedEvent purge =
          await(recording, "weir.Purge", event -> event.getLong("bytes") > 0, pool::trim);
      assertThat(purge.getLong("ranges")).isPositive();
      assertThat(purge.getDuration()).isPositive();
    }
  }

  @Test
  void everyEventAndFieldHasANameForPeople() throws Exception {
    try (Recording recording = new Recording(settings());
        Pool pool = Pool.create(PoolOptions.withLimit(LIMIT_BYTES).withProfile(4 << 10))) {
      recording.start();
      await(
          recording, "weir.PoolStatistics", event -> true, () -> pool.allocate(16 << 10).release());
      Map<String, List<String>> units = new HashMap<>();
      for (var type :
          events(recording).stream().map(RecordedEvent::getEventType).distinct().toList()) {
        assertThat(type.getLabel()).as(type.getName()).isNotBlank();
        assertThat(type.getCategoryNames()).containsExactly("Weir");
        for (var field : type.getFields()) {
          assertThat(field.getLabel()).as(field.getName()).isNotBlank();
          if (field.getName().endsWith("ytes")) {
            assertThat(field.getContentType()).as(field.getName()).isEqualTo("jdk.jfr.DataAmount");
          }
        }
      }
    }
  }

  /** A run time image without it, as small ones are. */
  @Test
  void withoutTheModuleOfFlightRecorderAPoolWorks() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--limit-modules=java.base,java.management",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path", "") + File.pathSeparator,
                WithoutRecorder.class.getName())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    assertThat(output).contains("no recorder, 1 refused");
  }

  /** Run in a JVM of its own. */
  static final class WithoutRecorder {
    public static void main(String[] arguments) {
      boolean there = ModuleLayer.boot().findModule("jdk.jfr").isPresent();
      try (Pool pool = Pool.create(PoolOptions.withLimit(1 << 20).withProfile(4 << 10))) {
        pool.allocate(16 << 10).release();
        pool.trim();
        int refused = pool.tryAllocate(2 << 20) == null ? 1 : 0;
        System.out.println((there ? "a recorder, " : "no recorder, ") + refused + " refused");
      }
    }
  }
}

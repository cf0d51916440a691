package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jmc.common.IMCStackTrace;
import org.openjdk.jmc.common.item.Attribute;
import org.openjdk.jmc.common.item.IAttribute;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IType;
import org.openjdk.jmc.common.unit.IQuantity;
import org.openjdk.jmc.common.unit.UnitLookup;
import org.openjdk.jmc.flightrecorder.JfrAttributes;
import org.openjdk.jmc.flightrecorder.internal.EventArray;
import org.openjdk.jmc.flightrecorder.internal.FlightRecordingLoader;

/**
 * A recording as JDK Mission Control's event browser has it, by the library that it is made of:
 * which folder an event lies in, the columns of its table, and their units.
 */
@Timeout(120)
class MissionControlTest {
  @TempDir Path directory;

  /** By identifier, the events of Weir. */
  private static Map<String, EventArray> load(Path recording) throws Exception {
    Map<String, EventArray> loaded = new LinkedHashMap<>();
    try (InputStream in = Files.newInputStream(recording)) {
      for (EventArray events :
          FlightRecordingLoader.loadStream(
                  in, /* hideExperimentals= */ false, /* ignoreTruncatedChunk= */ false)
              .getArrays()) {
        if (events.getType().getIdentifier().startsWith("weir.")) {
          loaded.put(events.getType().getIdentifier(), events);
        }
      }
    }
    return loaded;
  }

  private static Path record(Path file) throws Exception {
    Configuration settings;
    try (var in = Pool.class.getResourceAsStream("jfr/weir.jfc")) {
      settings = Configuration.create(new InputStreamReader(in, StandardCharsets.UTF_8));
    }
    try (Recording recording = new Recording(settings);
        Pool pool =
            Pool.create(
                PoolOptions.withLimit(16 << 20).withName("recorded").withProfile(4 << 10))) {
      recording.start();
      Budget small = pool.rootBudget().child("small", 1 << 20);
      pool.allocate(256 << 10, small).release();
      assertThat(pool.tryAllocate(8 << 20, small)).isNull();
      pool.trim();
      recording.stop();
      recording.dump(file);
    }
    return file;
  }

  private static <T> T value(IItem event, IAttribute<T> attribute) {
    @SuppressWarnings("unchecked") // an item is of its own type
    IType<IItem> type = (IType<IItem>) event.getType();
    return attribute.getAccessor(type).getMember(event);
  }

  private static IQuantity bytes(IItem event, String field) {
    return value(event, Attribute.attr(field, field, UnitLookup.MEMORY));
  }

  @Test
  void eventsLieInTheirFolderWithNamesAndUnits() throws Exception {
    Map<String, EventArray> events = load(record(directory.resolve("recording.jfr")));

    assertThat(events)
        .containsKeys(
            "weir.AllocationSample",
            "weir.AllocationRefusal",
            "weir.Purge",
            "weir.PoolStatistics",
            "weir.BudgetStatistics");
    assertThat(events.values())
        .allSatisfy(each -> {
          assertThat(each.getTypeCategory()).containsExactly("Weir");
          assertThat(each.getType().getName())
              .as("a name for people")
              .isNotBlank()
              .doesNotContain("weir.");
          each.getType()
              .getAccessorKeys()
              .forEach((column, described) -> {
                assertThat(described.getName()).as(column.getIdentifier()).isNotBlank();
                if (column.getIdentifier().endsWith("ytes")) {
                  assertThat(column.getContentType())
                      .as(described.getName())
                      .isEqualTo(UnitLookup.MEMORY);
                }
              });
        });

    IItem refusal = events.get("weir.AllocationRefusal").getEvents()[0];
    assertThat(bytes(refusal, "limitBytes").doubleValueIn(UnitLookup.BYTE)).isEqualTo(1 << 20);
    IMCStackTrace stack = value(refusal, JfrAttributes.EVENT_STACKTRACE);
    assertThat(stack.getFrames())
        .anySatisfy(frame ->
            assertThat(frame.getMethod().getType().getFullName())
                .isEqualTo(MissionControlTest.class.getName()));
    assertThat(events.get("weir.AllocationSample").getEvents())
        .extracting(event -> bytes(event, "blockBytes").doubleValueIn(UnitLookup.BYTE))
        .contains((double) (256 << 10));
  }
}

package dev.weir.cli.doctor;

import dev.weir.lab.report.Bytes;
import dev.weir.streams.WalCheck;
import dev.weir.streams.recovery.Damage;
import dev.weir.streams.recovery.Doctor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What was found in one place, as lines for people and as JSON. Used by one thread. */
final class Findings {
  /** More streams of one damage are counted, not named, in lines. */
  private static final int MAX_STREAMS = 8;

  private final String place;
  private final List<String> summary = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final List<Damage> damages = new ArrayList<>();
  private final Map<String, Object> figures = new LinkedHashMap<>();

  Findings(String place) {
    this.place = place;
  }

  /** Something that is no damage, but worth a line. */
  void note(String line) {
    notes.add(line);
  }

  /** Takes what the WAL has. */
  void add(WalCheck.Report wal) {
    summary.add(
        "the WAL: %d files, %s MiB of whole records"
            .formatted(wal.files(), Bytes.mib(wal.checkedBytes())));
    figures.put("walFiles", wal.files());
    figures.put("walBytes", wal.checkedBytes());
    notes.addAll(wal.notes());
    for (WalCheck.Finding finding : wal.damages()) {
      damages.add(new Damage(finding.file(), finding.offset(), finding.reason(), List.of()));
    }
  }

  /**
   * Takes what a store has.
   *
   * @param folder where the store is in the place; empty where it is the place
   */
  void add(Doctor.Report store, String folder) {
    summary.add(
        "the store of %s: %d streams, %d segments, %s MiB verified"
            .formatted(
                store.owner().isEmpty() ? "an unknown node" : store.owner(),
                store.streams(),
                store.segments(),
                Bytes.mib(store.checkedBytes())));
    if (store.orphans() > 0) {
      notes.add(
          "%d segments that nothing names: left by a crash, or about to be deleted"
              .formatted(store.orphans()));
    }
    figures.put("owner", store.owner());
    figures.put("streams", store.streams());
    figures.put("segments", store.segments());
    figures.put("orphans", store.orphans());
    figures.put("verifiedBytes", store.checkedBytes());
    for (Damage damage : store.damages()) {
      String key = folder.isEmpty() ? damage.key() : folder + "/" + damage.key();
      damages.add(new Damage(key, damage.offset(), bare(damage), damage.streams()));
    }
  }

  /** The reason without object and offset, which stand beside it. */
  private static String bare(Damage damage) {
    String beside = "%s is damaged at byte %d: ".formatted(damage.key(), damage.offset());
    return damage.reason().startsWith(beside)
        ? damage.reason().substring(beside.length())
        : damage.reason();
  }

  List<Damage> damages() {
    return damages;
  }

  /** Lines for people. */
  String text() {
    StringBuilder text = new StringBuilder(place).append('\n');
    summary.forEach(line -> text.append("  ").append(line).append('\n'));
    notes.forEach(line -> text.append("note: ").append(line).append('\n'));
    for (Damage damage : damages) {
      text.append(
          "damaged: %s at byte %d: %s\n".formatted(damage.key(), damage.offset(), damage.reason()));
      if (!damage.streams().isEmpty()) {
        text.append("  cannot be read there: ").append(names(damage.streams())).append('\n');
      }
    }
    return text.append(verdict()).append('\n').toString();
  }

  private String verdict() {
    return switch (damages.size()) {
      case 0 -> "no damage was found";
      case 1 -> "1 damage was found; restore that object from a copy";
      default -> damages.size() + " damages were found; restore these objects from a copy";
    };
  }

  private static String names(List<String> streams) {
    String first = String.join(", ", streams.subList(0, Math.min(MAX_STREAMS, streams.size())));
    int more = streams.size() - MAX_STREAMS;
    return more > 0 ? "%s and %d more".formatted(first, more) : first;
  }

  /** The JSON object. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("place", place);
    fields.put("outcome", damages.isEmpty() ? "clean" : "damaged");
    fields.putAll(figures);
    fields.put("notes", notes);
    fields.put("damages", damages.stream().map(Findings::fields).toList());
    return fields;
  }

  private static Map<String, Object> fields(Damage damage) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("object", damage.key());
    fields.put("offset", damage.offset());
    fields.put("reason", damage.reason());
    fields.put("streams", damage.streams());
    return fields;
  }
}

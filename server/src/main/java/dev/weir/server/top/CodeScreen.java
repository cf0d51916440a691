package dev.weir.server.top;

import dev.weir.server.top.Line.Ink;
import java.util.ArrayList;
import java.util.List;

/** Suspected leaks and the oldest blocks, each with its stack. Pure. */
final class CodeScreen {
  private static final String INDENT = "      ";

  private final int columns;
  private final boolean coloured;
  private final List<String> lines = new ArrayList<>();

  private CodeScreen(int columns, boolean coloured) {
    this.columns = columns;
    this.coloured = coloured;
  }

  /** As many lines as there are. */
  static List<String> lines(Figures view, String source, int columns, boolean coloured) {
    CodeScreen screen = new CodeScreen(columns, coloured);
    Figures profile = view.child("profile");
    screen.put(
        screen
            .line()
            .add(Ink.STRONG, "weir " + view.child("pool").text("name"))
            .add("  " + source)
            .add(
                Ink.QUIET,
                "  %s samples, one in %s"
                    .formatted(
                        Units.count(profile.number("samples")),
                        Units.bytes(profile.number("bytesPerSample")))));
    if (!profile.has("bytesPerSample")) {
      screen.put(screen.line().add("the node keeps no profile; start it with --profile 512K"));
      return List.copyOf(screen.lines);
    }
    String age = Units.seconds(profile.number("leakAgeMillis") / 1000);
    List<Figures> suspects = profile.children("suspects");
    screen.put(
        screen
            .line()
            .add(
                suspects.isEmpty() ? Ink.QUIET : Ink.ALARM,
                suspects.isEmpty()
                    ? "no suspected leak: no code holds more and more that is older than " + age
                    : CodeRow.head("grows/s", "suspected leak, older than " + age)));
    suspects.forEach(
        place -> screen.place(place, CodeRow.of(place, place.number("growthBytesPerSecond"))));
    screen.put(screen.line().add(Ink.QUIET, CodeRow.head("blocks", "oldest, by code")));
    profile.children("oldest").forEach(place -> screen.place(place, CodeRow.of(place)));
    return List.copyOf(screen.lines);
  }

  private void place(Figures place, CodeRow row) {
    put(line().add(row.figures()).add(Ink.STRONG, row.place()).add(Ink.QUIET, row.budget()));
    for (String frame : place.texts("stack")) {
      String shown = frame.length() + INDENT.length() > columns ? CodeRow.shortened(frame) : frame;
      put(line().add(Ink.QUIET, INDENT + shown));
    }
  }

  private Line line() {
    return new Line(columns, coloured);
  }

  private void put(Line line) {
    lines.add(line.toString());
  }
}

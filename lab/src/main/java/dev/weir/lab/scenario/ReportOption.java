package dev.weir.lab.scenario;

import dev.weir.lab.options.Checks;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.report.LabReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --json} and {@code --report}: where the rows of a run are kept. */
public final class ReportOption {
  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also writes one JSON object a row into this file.")
  private @Nullable Path json;

  @Option(
      names = "--report",
      paramLabel = "FOLDER",
      description = "Also writes report.html, report.json and report.csv into this folder.")
  private @Nullable Path folder;

  /** Made by picocli. */
  public ReportOption() {}

  /** Requires, before the run, that the files can be written. */
  public void require(Checks checks) throws IOException {
    checks.requireWritable(json, "--json");
    if (folder != null) {
      checks.require(
          !Files.exists(folder) || Files.isDirectory(folder), "--report", "a folder, or new");
      Files.createDirectories(folder);
    }
  }

  /** Reports into that folder where the user names none. */
  public void folderIfNone(Path standard) {
    folder = folder == null ? standard : folder;
  }

  /** The file for rows; null if there is none. */
  public @Nullable Path json() {
    return json;
  }

  /** Where reports go; null if nowhere. */
  public @Nullable Path folder() {
    return folder;
  }

  /** What keeps the rows of a run, by the command that was given. */
  public ScenarioRun.Keeper keeper(String command, int planned) {
    LabReport.Head head = LabReport.Head.now(command, planned);
    return (List<Map<String, @Nullable Object>> rows, boolean complete) ->
        keep(head, rows, complete);
  }

  private void keep(LabReport.Head head, List<Map<String, @Nullable Object>> rows, boolean complete)
      throws IOException {
    if (json != null) {
      JsonLines.write(json, rows.stream().map(LabReport::withoutSeries).toList());
    }
    if (folder != null) {
      LabReport.write(folder, head, rows, complete);
    }
  }
}

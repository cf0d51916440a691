package dev.weir.cli.doctor;

import dev.weir.lab.report.JsonLines;
import dev.weir.objects.s3.S3Options;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir doctor}. */
@Command(
    name = "doctor",
    description = {
      "Looks for damage in what a node has stored, and changes nothing.",
      "Examined are the checksum of every piece, commits, manifests, the owner, and in a data"
          + " directory the WAL."
    },
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all is well",
      "1:it could not be examined: there is nothing, or no answer",
      "2:an option is wrong",
      "3:something is damaged"
    },
    footer = {
      "",
      "Examples:",
      "  weir doctor ./weir-data",
      "  weir doctor ./weir-data --json | jq .damages",
      "  weir doctor s3://bucket/prefix",
      "  weir doctor s3://bucket/prefix --s3-endpoint http://127.0.0.1:8333",
      "",
      "Stop the node first: what it replaces meanwhile looks missing.",
      "Credentials for S3 come from the environment, a profile, or the machine."
    })
public final class DoctorCommand implements Callable<Integer> {
  /** What scripts tell damage by. */
  static final int DAMAGED = 3;

  private static final String S3 = "s3:";

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "DIR|s3://BUCKET/PREFIX",
      arity = "1",
      description = "What --data of the node names, or --store.")
  private String place;

  @Option(
      names = "--s3-endpoint",
      paramLabel = "URL",
      description = "An S3-compatible service that is not Amazon's.")
  private @Nullable URI endpoint;

  @Option(names = "--json", description = "Prints one JSON object instead of lines.")
  private boolean json;

  /** Made by picocli. */
  public DoctorCommand() {}

  @Override
  public Integer call() throws IOException {
    Findings findings = examine();
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(JsonLines.line(findings.fields()));
    } else {
      out.print(findings.text());
    }
    out.flush();
    return findings.damages().isEmpty() ? ExitCode.OK : DAMAGED;
  }

  private Findings examine() throws IOException {
    ProgressReport progress = new ProgressReport(spec.commandLine().getErr());
    try {
      return place.startsWith(S3)
          ? Examination.ofBucket(place, options(), progress)
          : Examination.ofDirectory(directory(), progress);
    } finally {
      progress.end();
    }
  }

  private Path directory() {
    if (endpoint != null) {
      throw rejected("--s3-endpoint is for s3://BUCKET/PREFIX, not for a directory");
    }
    try {
      return Path.of(place);
    } catch (InvalidPathException e) {
      throw rejected("'%s' is no directory: %s".formatted(place, e.getReason()));
    }
  }

  private S3Options options() {
    try {
      S3Options options = S3Options.of(URI.create(place));
      if (endpoint == null) {
        return options;
      }
      if (endpoint.getHost() == null) {
        throw rejected("--s3-endpoint: '%s' has no host: http://HOST:PORT".formatted(endpoint));
      }
      return options.withEndpoint(endpoint);
    } catch (IllegalArgumentException e) {
      throw rejected(String.valueOf(e.getMessage()));
    }
  }

  private ParameterException rejected(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}

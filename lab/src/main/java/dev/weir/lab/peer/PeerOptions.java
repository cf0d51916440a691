package dev.weir.lab.peer;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code --jdk}: the Java that Netty 4.1 runs on. */
public final class PeerOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--jdk",
      paramLabel = "PATH",
      description =
          "The Java for Netty 4.1 (default: a JDK 17 from the usual places; without one, its rows"
              + " are left out).")
  private @Nullable Path home;

  /** Made by picocli. */
  public PeerOptions() {}

  /**
   * What was chosen.
   *
   * @throws ParameterException if there is no Java in that folder
   */
  public Optional<Jdk> jdk() {
    if (home == null) {
      return Optional.empty();
    }
    CommandLine command = spec.commandLine();
    return Optional.of(
        Jdk.in(home)
            .orElseThrow(() ->
                new ParameterException(
                    command, "--jdk: '%s' has no bin/java and no release file".formatted(home))));
  }
}

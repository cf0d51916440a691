package dev.weir.lab.options;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Finds out what is wrong with a command before it has run rather than after it. */
public final class Checks {
  private final CommandSpec spec;

  /** Checks of one command. */
  public Checks(CommandSpec spec) {
    this.spec = spec;
  }

  /**
   * Requires what an option must be.
   *
   * @throws ParameterException which names the option and the rule
   */
  public void require(boolean condition, String option, String rule) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), option + " must be " + rule);
    }
  }

  /**
   * Requires that a file can be written, if there is to be one.
   *
   * @throws ParameterException which names the option and the file
   */
  public void requireWritable(@Nullable Path file, String option) {
    if (file == null) {
      return;
    }
    Path folder = file.toAbsolutePath().getParent();
    boolean replaceable = !Files.exists(file) || Files.isWritable(file);
    if (Files.isDirectory(file) || folder == null || !Files.isWritable(folder) || !replaceable) {
      throw new ParameterException(
          spec.commandLine(), option + ": cannot write the file '" + file + "'");
    }
  }
}

package dev.weir.lab.options;

import java.io.IOException;
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
   * Requires that what is written is not what is read, or written otherwise: also behind links.
   *
   * @throws ParameterException which names the option and the file
   */
  public void requireOther(@Nullable Path file, String option, @Nullable Path other) {
    if (file != null && other != null && isSame(file, other)) {
      throw new ParameterException(
          spec.commandLine(), option + ": '" + file + "' is needed for something else here");
    }
  }

  private static boolean isSame(Path file, Path other) {
    try {
      return Files.isSameFile(file, other);
    } catch (IOException notBothThere) {
      return file.toAbsolutePath().normalize().equals(other.toAbsolutePath().normalize());
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

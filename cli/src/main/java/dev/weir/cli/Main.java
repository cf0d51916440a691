package dev.weir.cli;

import picocli.CommandLine;

/**
 * The program's entry point. The exit code is 0 for success, 1 when a command failed and 2 when a
 * flag or setting is wrong.
 */
public final class Main {
  /** Wide enough that an example with a URL stays on one line. */
  private static final int HELP_COLUMNS = 100;

  private Main() {}

  /** Runs one command to its end and ends the process with the command's exit code. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    return new CommandLine(new WeirCommand())
        .registerConverter(Integer.class, WholeNumber::parseInt)
        .registerConverter(int.class, WholeNumber::parseInt)
        .registerConverter(Long.class, WholeNumber::parseLong)
        .registerConverter(long.class, WholeNumber::parseLong)
        .setUsageHelpWidth(HELP_COLUMNS)
        .setParameterExceptionHandler(OneLineErrors::badParameter)
        .setExecutionExceptionHandler(OneLineErrors::failed);
  }
}

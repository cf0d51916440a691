package dev.weir.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns what goes wrong into one line on standard error that names the flag or the file. */
final class OneLineErrors {
  private OneLineErrors() {}

  /** A flag, a parameter or a setting that is wrong: exit code 2. */
  static int badParameter(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    print(command, "%s: %s; see '%s --help'".formatted(name, reason(e), name));
    return ExitCode.USAGE;
  }

  /** Files and sockets fail in one line; anything else is a defect and keeps its stack trace. */
  static int failed(Exception e, CommandLine command, ParseResult parsed) throws Exception {
    if (!(e instanceof IOException || e instanceof UncheckedIOException)) {
      throw e;
    }
    print(command, "%s: %s".formatted(command.getCommandSpec().qualifiedName(), e.getMessage()));
    return ExitCode.SOFTWARE;
  }

  private static String reason(ParameterException e) {
    if (e instanceof UnmatchedArgumentException unmatched) {
      return unknown(unmatched);
    }
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("wrong parameters");
  }

  private static String unknown(UnmatchedArgumentException e) {
    String argument = e.getUnmatched().getFirst();
    String kind = argument.startsWith("-") ? "option" : "argument";
    CommandSpec command = e.getCommandLine().getCommandSpec();
    Set<String> names =
        argument.startsWith("-") ? command.optionsMap().keySet() : command.subcommands().keySet();
    String word = argument.replaceFirst("=.*", "");
    String hint = Suggestion.hint(word, names);
    return "unknown %s '%s'%s".formatted(kind, argument, hint);
  }

  private static void print(CommandLine command, String line) {
    command.getErr().println(command.getColorScheme().errorText(line));
    command.getErr().flush();
  }
}

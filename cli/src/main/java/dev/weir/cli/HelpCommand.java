package dev.weir.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code weir help}: prints how {@code weir} or one of its commands is used. Picocli's own has an
 * option for help, as every command here has one already.
 */
@Command(
    name = "help",
    description = "Prints how a command is used.",
    footer = {"", "Examples:", "  weir help", "  weir help serve", "  weir help lab run"})
final class HelpCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "The command's name.")
  private List<String> names = List.of();

  HelpCommand() {}

  @Override
  public Integer call() {
    CommandLine command = spec.root().commandLine();
    for (String name : names) {
      CommandLine below = command.getSubcommands().get(name);
      if (below == null) {
        throw new ParameterException(
            spec.commandLine(),
            "unknown command '%s'%s"
                .formatted(name, Suggestion.hint(name, command.getSubcommands().keySet())));
      }
      command = below;
    }
    command.usage(spec.commandLine().getOut());
    return ExitCode.OK;
  }
}

package dev.weir.server;

import dev.weir.server.http.AccessPolicy;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** The options of {@code weir serve} that say whose requests are served. */
final class AccessOptions {
  private static final int MAX_CONNECTIONS = 10_000;

  @Option(
      names = "--allow-host",
      paramLabel = "NAME",
      description =
          "Serve requests to this name too, as those of a proxy; may be given again. Without it a"
              + " node on loopback answers 421 to all names but localhost and loopback's"
              + " addresses.",
      converter = HostConverter.class)
  private List<String> hosts = List.of();

  @Option(
      names = "--allow-origin",
      paramLabel = "ORIGIN",
      description =
          "Let pages of this origin, as https://app.example.org, change streams; may be given"
              + " again. Pages of all other origins are answered 403.",
      converter = OriginConverter.class)
  private List<String> origins = List.of();

  @Option(
      names = "--connections-per-address",
      paramLabel = "N",
      description =
          "Most connections of one client's address; loopback is not limited. Default: any"
              + " number.")
  private int connectionsPerAddress;

  AccessOptions() {}

  /** What the options ask for. */
  AccessPolicy policy(CommandSpec spec) {
    if (connectionsPerAddress < 0 || connectionsPerAddress > MAX_CONNECTIONS) {
      throw new ParameterException(
          spec.commandLine(),
          "Invalid value for option '--connections-per-address': %d is not in 0..%d"
              .formatted(connectionsPerAddress, MAX_CONNECTIONS));
    }
    return new AccessPolicy(Set.copyOf(hosts), Set.copyOf(origins), connectionsPerAddress);
  }

  /** For picocli. */
  static final class HostConverter implements ITypeConverter<String> {
    @Override
    public String convert(String value) {
      return inOneForm(AccessPolicy::host, value);
    }
  }

  /** For picocli. */
  static final class OriginConverter implements ITypeConverter<String> {
    @Override
    public String convert(String value) {
      return inOneForm(AccessPolicy::origin, value);
    }
  }

  private static String inOneForm(UnaryOperator<String> form, String value) {
    try {
      return form.apply(value);
    } catch (IllegalArgumentException none) {
      throw new TypeConversionException(none.getMessage());
    }
  }
}

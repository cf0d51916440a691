package dev.weir.replication.command;

import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Where to listen: {@code HOST:PORT}; an address of IPv6 in brackets. */
public record HostAndPort(String host, int port) {
  private static final Pattern FORM =
      Pattern.compile("(\\[[0-9a-fA-F:]+]|[^:\\[\\]]+):([0-9]{1,5})");
  private static final int MOST = 65_535;

  /** The address, looked up. */
  public InetSocketAddress address() {
    return new InetSocketAddress(host, port);
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }

  /** For picocli. */
  public static final class Converter implements ITypeConverter<HostAndPort> {
    /** Made by picocli. */
    public Converter() {}

    @Override
    public HostAndPort convert(String text) {
      Matcher form = FORM.matcher(text);
      if (!form.matches() || Integer.parseInt(form.group(2)) > MOST) {
        throw new TypeConversionException("'" + text + "' is no HOST:PORT, such as 127.0.0.1:4438");
      }
      return new HostAndPort(form.group(1), Integer.parseInt(form.group(2)));
    }
  }
}

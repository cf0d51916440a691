package dev.weir.server;

import dev.weir.server.http.Transport;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The values of {@code --transport}. */
final class TransportConverter implements ITypeConverter<Transport> {
  /** As the options of Netty name them. */
  private static final List<Transport> NAMED =
      List.of(Transport.NIO, Transport.EPOLL, Transport.IO_URING);

  TransportConverter() {}

  @Override
  public Transport convert(String value) {
    if (value.equals("auto")) {
      return Transport.best();
    }
    return NAMED.stream()
        .filter(transport -> transport.name().toLowerCase(Locale.ROOT).equals(value))
        .findFirst()
        .orElseThrow(() ->
            new TypeConversionException(
                "'%s' is none of nio, epoll, io_uring, auto".formatted(value)));
  }
}

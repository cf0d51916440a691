package dev.weir.server;

import dev.weir.server.console.ConsoleAccess;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The values of {@code --console}, in small letters. */
final class ConsoleAccessConverter implements ITypeConverter<ConsoleAccess> {
  ConsoleAccessConverter() {}

  @Override
  public ConsoleAccess convert(String value) {
    return Arrays.stream(ConsoleAccess.values())
        .filter(access -> name(access).equals(value))
        .findFirst()
        .orElseThrow(() ->
            new TypeConversionException(
                "'%s' is none of off, loopback, anywhere".formatted(value)));
  }

  private static String name(ConsoleAccess access) {
    return access.name().toLowerCase(Locale.ROOT);
  }

  /** What {@code --help} shows. */
  static final class Names implements Iterable<String> {
    Names() {}

    @Override
    public Iterator<String> iterator() {
      return Arrays.stream(ConsoleAccess.values()).map(ConsoleAccessConverter::name).iterator();
    }
  }
}

package dev.weir.lab.options;

import dev.weir.lab.contender.Contender;
import dev.weir.lab.report.Bytes;
import dev.weir.lab.subject.Subject;
import java.util.function.Function;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts what stands behind an option, and says in one line what is wrong with it. */
public abstract class Converters<T> implements ITypeConverter<T> {
  private final Function<String, T> parse;

  /** A converter whose function throws {@link IllegalArgumentException} with the reason. */
  protected Converters(Function<String, T> parse) {
    this.parse = parse;
  }

  @Override
  public T convert(String text) {
    try {
      return parse.apply(text);
    } catch (IllegalArgumentException malformed) {
      throw new TypeConversionException(malformed.getMessage());
    }
  }

  /** Amounts such as {@code 256M}. */
  public static final class OfBytes extends Converters<Long> {
    /** Made by picocli. */
    public OfBytes() {
      super(Bytes::parse);
    }
  }

  /** Labels of {@link Subject}. */
  public static final class OfSubject extends Converters<Subject> {
    /** Made by picocli. */
    public OfSubject() {
      super(Subject::of);
    }
  }

  /** Labels of {@link Contender}. */
  public static final class OfContender extends Converters<Contender> {
    /** Made by picocli. */
    public OfContender() {
      super(Contender::of);
    }
  }
}

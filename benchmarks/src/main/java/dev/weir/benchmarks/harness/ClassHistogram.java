package dev.weir.benchmarks.harness;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * How many objects of each class are on the heap, those that nobody refers to left out, as the JVM
 * prints it: a line for each class, with its rank, the count, the bytes and the name.
 */
public final class ClassHistogram {
  private final String text;

  /**
   * Of a text that the JVM has printed.
   *
   * @throws IllegalStateException if that cannot be: a class that every JVM has objects of is not
   *     found in it
   */
  ClassHistogram(String text) {
    this.text = text;
    if (instances("java.lang.String") == 0) {
      throw new IllegalStateException(
          "no strings on the heap: this JVM prints its class histogram in another form");
    }
  }

  /**
   * Of this JVM's heap, after a collection.
   *
   * @throws JMException if the JVM does not tell
   */
  public static ClassHistogram take() throws JMException {
    Object text =
        ManagementFactory.getPlatformMBeanServer()
            .invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "gcClassHistogram",
                new Object[] {new String[0]},
                new String[] {String[].class.getName()});
    return new ClassHistogram(String.valueOf(text));
  }

  /** How many objects of the class with this binary name there are. */
  public long instances(String className) {
    return text.lines()
        .map(line -> line.strip().split("\\s+", -1))
        .filter(columns -> columns.length > 3 && columns[3].equals(className))
        .mapToLong(columns -> Long.parseLong(columns[1]))
        .sum();
  }
}

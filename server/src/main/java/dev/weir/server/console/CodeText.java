package dev.weir.server.console;

import java.util.List;

/** Places in the code as text. */
final class CodeText {
  /** What calls an application, or is called by it: never the place that somebody looks for. */
  private static final List<String> LIBRARIES =
      List.of("io.netty.", "java.", "javax.", "jdk.", "sun.");

  private CodeText() {}

  /** As {@code com.example.Handler.read(Handler.java:17)}: class loaders and modules are noise. */
  static String frame(StackTraceElement frame) {
    return frame.getClassName() + "." + frame.getMethodName() + "(" + source(frame) + ")";
  }

  private static String source(StackTraceElement frame) {
    String file = frame.getFileName() == null ? "unknown" : frame.getFileName();
    return frame.getLineNumber() > 0 ? file + ":" + frame.getLineNumber() : file;
  }

  /** The innermost frame outside Netty and the JDK; the innermost of all if there is no other. */
  static String place(List<StackTraceElement> stack) {
    return stack.stream()
        .filter(frame -> LIBRARIES.stream().noneMatch(frame.getClassName()::startsWith))
        .findFirst()
        .or(() -> stack.stream().findFirst())
        .map(CodeText::frame)
        .orElse("unknown");
  }

  /** The innermost frames, at most so many. */
  static List<String> frames(List<StackTraceElement> stack, int most) {
    return stack.stream().limit(most).map(CodeText::frame).toList();
  }
}

package dev.weir.netty.versions;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Loads, verifies and initializes all of Weir's classes for services, but the I/O handlers. None
 * may override what is final, nor lack what a superclass or an interface of Netty's asks for.
 */
final class Loading {
  private Loading() {}

  /** What the classes lack. */
  static Set<String> lacking() throws ClassNotFoundException {
    Set<String> lacking = new TreeSet<>();
    for (String module : List.of("memory", "netty", "compression")) {
      for (String name : ClassPath.classes(ClassPath.weir(module)).keySet()) {
        if (!name.startsWith("dev/weir/netty/transport/")) {
          Class<?> type = Class.forName(name.replace('/', '.'));
          if (!Modifier.isAbstract(type.getModifiers())) {
            missingIn(type).forEach(method -> lacking.add(name + " lacks " + method));
          }
        }
      }
    }
    return lacking;
  }

  /** Abstract methods that a class does not implement. */
  private static Stream<Method> missingIn(Class<?> type) {
    Stream<Method> ofInterfaces =
        Arrays.stream(type.getMethods())
            .filter(method -> Modifier.isAbstract(method.getModifiers()));
    Stream<Method> ofSuperclasses =
        superclasses(type)
            .flatMap(above -> Arrays.stream(above.getDeclaredMethods()))
            .filter(method -> Modifier.isAbstract(method.getModifiers()))
            .filter(method -> Modifier.isAbstract(nearest(type, method).getModifiers()));
    return Stream.concat(ofInterfaces, ofSuperclasses);
  }

  private static Method nearest(Class<?> type, Method method) {
    return superclasses(type)
        .flatMap(above -> Arrays.stream(above.getDeclaredMethods()))
        .filter(found ->
            found.getName().equals(method.getName())
                && Arrays.equals(found.getParameterTypes(), method.getParameterTypes()))
        .findFirst()
        .orElseThrow();
  }

  /** The class, and all above it. */
  private static Stream<Class<?>> superclasses(Class<?> type) {
    return Stream.iterate(type, above -> above != null, Class::getSuperclass);
  }
}

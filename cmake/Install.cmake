foreach(x)
endforeach()
